{{/*
The traits of each service: the services that it calls, whether it uses Postgres, reads the catalog,
serves clients or operators, relays requests to the edge, stores the providers' keys, adds money or changes keys (and so has the operators' secret), calls providers (and so has a spool), receives proxied requests from the edge, and
serves live sockets. The environment, network policies and autoscalers are derived from them.
*/}}
{{- define "tollgate.fleet" -}}
edge:
  calls: [chat, document, image, audio, billing, ledger]
  database: true
  catalog: true
  clients: true
chat:
  calls: [ledger, billing]
  database: true
  catalog: true
  providers: true
audio:
  calls: [ledger, billing]
  catalog: true
  providers: true
  proxied: true
  sockets: true
document:
  calls: [ledger, billing]
  database: true
  catalog: true
  providers: true
  proxied: true
image:
  calls: [ledger, billing]
  catalog: true
  providers: true
billing:
  mail: true
  calls: [ledger, chat, document, image, audio]
  database: true
  operatorSecret: true
  storesSecrets: true
  catalog: true
console:
  calls: [billing]
  relays: true
  operators: true
  {{- if .Values.console.customers.url }}
  customers: true
  {{- end }}
  operatorSecret: true
ledger:
  calls: []
  database: true
  operatorSecret: true
{{- end }}

{{/* Takes (list $ service). Renders its values merged over the defaults. */}}
{{- define "tollgate.settings" -}}
{{- $services := (index . 0).Values.services }}
{{- mergeOverwrite (deepCopy $services.defaults) (deepCopy (index $services (index . 1))) | toYaml }}
{{- end }}

{{/*
Takes (list $ service traits). Renders the labels and annotations of its service account, behind the labels of the
chart. A cloud identifies the services that call providers by them, and no others.
*/}}
{{- define "tollgate.identity" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- if (index . 2).providers -}}
{{- with (include "tollgate.settings" (list $root $name) | fromYaml).serviceAccount -}}
{{- with .labels }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .annotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- else if (index $root.Values.services $name).serviceAccount -}}
{{- fail (printf "services.%s.serviceAccount must not be set: the service calls no providers" $name) -}}
{{- end -}}
{{- end }}

{{/* Takes (list $ traits). Renders Deployment, or StatefulSet for a service with a persistent spool. */}}
{{- define "tollgate.kind" -}}
{{- $root := index . 0 -}}
{{- ternary "StatefulSet" "Deployment" (and (hasKey (index . 1) "providers") (eq $root.Values.spool.volume "persistent")) }}
{{- end }}

{{/*
Renders `metrics`: a list of {name, target} by which a service is scaled, besides its CPU.
*/}}
{{- define "tollgate.scalingMetrics" -}}
{{- $metrics := list }}
{{- if .traits.providers }}
{{- $metrics = append $metrics (dict "name" "tollgate_requests_in_flight" "target" .autoscaling.targetRequestsInFlight) }}
{{- end }}
{{- if .traits.sockets }}
{{- $metrics = append $metrics (dict "name" "tollgate_open_sockets" "target" .autoscaling.targetOpenSockets) }}
{{- end }}
{{- dict "metrics" $metrics | toYaml }}
{{- end }}
