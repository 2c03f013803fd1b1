{{/*
What depends on the objects in the cluster. Without a cluster, as in `helm template`, `lookup` finds
nothing, and nothing is checked.
*/}}

{{/*
Takes (list $ service kind settings). Renders `replicas`. An autoscaler sets the number itself: the
chart repeats what it finds in the cluster. If it left the field out, Helm would remove the number of
a release that had no autoscaler before, and Kubernetes would scale the service down to one pod.
*/}}
{{- define "tollgate.replicas" -}}
{{- $root := index . 0 -}}
{{- if not $root.Values.autoscaling.enabled -}}
replicas: {{ (index . 3).replicas }}
{{- else -}}
{{- $name := printf "%s-%s" (include "tollgate.fullname" $root) (index . 1) -}}
{{- $found := lookup "apps/v1" (index . 2) $root.Release.Namespace $name -}}
{{- if not $found -}}
{{- /* `spool.volume` changes the kind. */ -}}
{{- $other := ternary "StatefulSet" "Deployment" (eq (index . 2) "Deployment") -}}
{{- $found = lookup "apps/v1" $other $root.Release.Namespace $name -}}
{{- end -}}
{{- with $found -}}
replicas: {{ .spec.replicas }}
{{- end }}
{{- end }}
{{- end }}

{{/* Takes (list $ service). Fails if the claims of a StatefulSet would change, which cannot be. */}}
{{- define "tollgate.checkSpool" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "tollgate.fullname" $root) (index . 1) -}}
{{- with lookup "apps/v1" "StatefulSet" $root.Release.Namespace $name -}}
{{- $claim := (index .spec.volumeClaimTemplates 0).spec -}}
{{- $size := $claim.resources.requests.storage -}}
{{- if ne (include "tollgate.bytes" $size) (include "tollgate.bytes" $root.Values.spool.size) -}}
{{- printf "spool.size: is %s in the cluster and cannot change to %v, because Kubernetes does not change the claims of the StatefulSet %s. Keep %s, or follow docs/deployment.md#a-larger-spool." $size $root.Values.spool.size $name $size | fail -}}
{{- end -}}
{{- $class := default "" $claim.storageClassName -}}
{{- if ne $class $root.Values.spool.storageClassName -}}
{{- printf "spool.storageClassName: is %q in the cluster and cannot change to %q, because Kubernetes does not change the claims of the StatefulSet %s. Keep it, or follow docs/deployment.md#a-larger-spool." $class $root.Values.spool.storageClassName $name | fail -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Fails if the ConfigMap of the catalog that the values name is missing, or its key. */}}
{{- define "tollgate.checkCatalogConfigMap" -}}
{{- with .Values.catalog.existingConfigMap -}}
{{- $found := lookup "v1" "ConfigMap" $.Release.Namespace "" -}}
{{- if hasKey $found "items" -}}
{{- $data := dict -}}
{{- range $found.items -}}
{{- $_ := set $data .metadata.name (default dict .data) -}}
{{- end -}}
{{- if not (hasKey $data .) -}}
{{- printf "catalog.existingConfigMap: there is no ConfigMap %q in the namespace %q. Create it, or set catalog.check to false." . $.Release.Namespace | fail -}}
{{- end -}}
{{- if not (hasKey (index $data .) "catalog.yaml") -}}
{{- printf "catalog.existingConfigMap: the ConfigMap %q has no key \"catalog.yaml\". Add it, or set catalog.check to false." . | fail -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Fails if a Secret that the values name is missing, or a key in it. */}}
{{- define "tollgate.checkSecrets" -}}
{{- /* With secrets.check: false, nothing is looked up: the installer may not read Secrets. */ -}}
{{- $found := dict -}}
{{- if .Values.secrets.check -}}
{{- $found = lookup "v1" "Secret" .Release.Namespace "" -}}
{{- end -}}
{{- if hasKey $found "items" -}}
{{- $keys := dict -}}
{{- range $found.items -}}
{{- $_ := set $keys .metadata.name (default dict .data) -}}
{{- end -}}
{{- $wanted := list (list "secrets.fleet" .Values.secrets.fleet) -}}
{{- if not .Values.dev.postgres.enabled -}}
{{- $wanted = append $wanted (list "secrets.database" .Values.secrets.database) -}}
{{- range $name, $_ := include "tollgate.fleet" . | fromYaml -}}
{{- with (include "tollgate.settings" (list $ $name) | fromYaml).databaseSecret -}}
{{- $wanted = append $wanted (list (printf "services.%s.databaseSecret" $name) .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.tls.secretName (not .Values.tls.certificate.enabled) -}}
{{- range $key := list "tls.crt" "tls.key" "ca.crt" -}}
{{- $wanted = append $wanted (list "tls.secretName" (dict "name" $.Values.tls.secretName "key" $key)) -}}
{{- end -}}
{{- end -}}
{{- if not .Values.dev.nats.enabled -}}
{{- $wanted = append $wanted (list "secrets.nats" .Values.secrets.nats) -}}
{{- end -}}
{{- if .Values.secrets.smtp.name -}}
{{- $wanted = append $wanted (list "secrets.smtp" .Values.secrets.smtp) -}}
{{- end -}}
{{- if include "tollgate.needsIdentityKey" . -}}
{{- $wanted = append $wanted (list "secrets.identityKey" .Values.secrets.identityKey) -}}
{{- end -}}
{{- if .Values.secrets.contentKey.name -}}
{{- $wanted = append $wanted (list "secrets.contentKey" .Values.secrets.contentKey) -}}
{{- end -}}
{{- if .Values.secrets.secretsKey.name -}}
{{- $wanted = append $wanted (list "secrets.secretsKey" .Values.secrets.secretsKey) -}}
{{- end -}}
{{- if and .Values.console.oidc.issuer .Values.console.oidc.clientSecret -}}
{{- $wanted = append $wanted (list "console.oidc.clientSecret" .Values.console.oidc.clientSecret) -}}
{{- end -}}
{{- if .Values.payments.stripe.key -}}
{{- $wanted = append $wanted (list "payments.stripe.key" .Values.payments.stripe.key) -}}
{{- $wanted = append $wanted (list "payments.stripe.webhookSecret" .Values.payments.stripe.webhookSecret) -}}
{{- end -}}
{{- range $wanted -}}
{{- $reference := index . 1 -}}
{{- if not (hasKey $keys $reference.name) -}}
{{- printf "%s: there is no Secret %q in the namespace %q. Create it, or set secrets.check to false." (index . 0) $reference.name $.Release.Namespace | fail -}}
{{- end -}}
{{- if not (hasKey (index $keys $reference.name) $reference.key) -}}
{{- printf "%s: the Secret %q has no key %q. Add it, or set secrets.check to false." (index . 0) $reference.name $reference.key | fail -}}
{{- end -}}
{{- end -}}
{{- range $index, $name := .Values.secrets.providers -}}
{{- if not (hasKey $keys $name) -}}
{{- printf "secrets.providers[%d]: there is no Secret %q in the namespace %q. Create it, or set secrets.check to false." $index $name $.Release.Namespace | fail -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}
