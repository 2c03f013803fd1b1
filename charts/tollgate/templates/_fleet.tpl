{{/*
What is particular to each service, once: whom it calls, whether it has a schema in Postgres,
whether it calls providers (and so keeps a spool), whether the edge proxies requests to it. The
environment, the network policies and the autoscalers follow.
*/}}
{{- define "tollgate.fleet" -}}
edge:
  calls: [chat, document, image, audio, billing, ledger]
  database: true
  catalog: true
  clients: true
chat:
  calls: [ledger]
  database: true
  catalog: true
  providers: true
audio:
  calls: [ledger]
  catalog: true
  providers: true
  proxied: true
  sockets: true
document:
  calls: [ledger]
  database: true
  catalog: true
  providers: true
  proxied: true
image:
  calls: [ledger]
  catalog: true
  providers: true
billing:
  calls: [ledger]
  database: true
ledger:
  calls: []
  database: true
{{- end }}

{{/* Of (list $ service): its values over the defaults. */}}
{{- define "tollgate.settings" -}}
{{- $services := (index . 0).Values.services }}
{{- mergeOverwrite (deepCopy $services.defaults) (deepCopy (index $services (index . 1))) | toYaml }}
{{- end }}

{{/* Of (list $ traits): Deployment, or StatefulSet where a spool has a claim of its own. */}}
{{- define "tollgate.kind" -}}
{{- $root := index . 0 -}}
{{- ternary "StatefulSet" "Deployment" (and (hasKey (index . 1) "providers") (eq $root.Values.spool.volume "persistent")) }}
{{- end }}

{{/*
The metrics that a service is scaled by, beside its CPU: `metrics`, a list of {name, target}.
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
