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
{{- with lookup "apps/v1" (index . 2) $root.Release.Namespace $name -}}
replicas: {{ .spec.replicas }}
{{- end }}
{{- end }}
{{- end }}

{{/* Takes (list $ service). Fails if the claims of a StatefulSet would change, which cannot be. */}}
{{- define "tollgate.checkSpoolSize" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "tollgate.fullname" $root) (index . 1) -}}
{{- with lookup "apps/v1" "StatefulSet" $root.Release.Namespace $name -}}
{{- $size := (index .spec.volumeClaimTemplates 0).spec.resources.requests.storage -}}
{{- if ne $size $root.Values.spool.size -}}
{{- printf "spool.size: is %s in the cluster and cannot change to %s, because Kubernetes does not change the claims of the StatefulSet %s. Keep %s, or follow docs/deployment.md#a-larger-spool." $size $root.Values.spool.size $name $size | fail -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Fails if a Secret that the values name is missing, or a key in it. */}}
{{- define "tollgate.checkSecrets" -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace "" -}}
{{- if and .Values.secrets.check (hasKey $found "items") -}}
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
{{- if not .Values.dev.nats.enabled -}}
{{- $wanted = append $wanted (list "secrets.nats" .Values.secrets.nats) -}}
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
