{{/* A rule without peers allows every address on its ports. */}}

{{/* Takes (list $ component…). Renders peers that match these components of the release. */}}
{{- define "tollgate.componentPeers" -}}
{{- $root := first . }}
{{- $peers := list }}
{{- range rest . }}
{{- $labels := include "tollgate.selector" (list $root .) | fromYaml }}
{{- $peers = append $peers (dict "podSelector" (dict "matchLabels" $labels)) }}
{{- end }}
{{- toYaml $peers }}
{{- end }}

{{- define "tollgate.egressToDns" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
  {{- with .Values.networkPolicy.dnsTo }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "tollgate.egressToPostgres" -}}
{{- $postgres := .Values.networkPolicy.postgres -}}
{{- if .Values.dev.postgres.enabled -}}
- ports: [{ protocol: TCP, port: 5432 }]
  to: {{- include "tollgate.componentPeers" (list . "postgres") | nindent 4 }}
{{- else -}}
- ports: [{ protocol: TCP, port: {{ $postgres.port }} }]
  {{- with $postgres.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "tollgate.egressToNats" -}}
{{- $nats := .Values.networkPolicy.nats -}}
{{- if .Values.dev.nats.enabled -}}
- ports: [{ protocol: TCP, port: 4222 }]
  to: {{- include "tollgate.componentPeers" (list . "nats") | nindent 4 }}
{{- else -}}
- ports: [{ protocol: TCP, port: {{ $nats.port }} }]
  {{- with $nats.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "tollgate.egressToTracing" -}}
{{- $tracing := .Values.networkPolicy.tracing -}}
- ports: [{ protocol: TCP, port: {{ $tracing.port }} }]
  {{- with $tracing.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "tollgate.egressToProviders" -}}
- ports:
    {{- range .Values.networkPolicy.providers.ports }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
  {{- with .Values.networkPolicy.providers.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if .Values.dev.simulator.enabled }}
- ports: [{ protocol: TCP, port: 8080 }]
  to: {{- include "tollgate.componentPeers" (list . "simulator") | nindent 4 }}
{{- end }}
{{- end }}

{{- define "tollgate.egressToStripe" -}}
{{- $stripe := .Values.networkPolicy.stripe -}}
- ports: [{ protocol: TCP, port: {{ $stripe.port }} }]
  {{- with $stripe.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "tollgate.egressToWebhooks" -}}
{{- $webhooks := .Values.networkPolicy.webhooks -}}
- ports: [{ protocol: TCP, port: {{ $webhooks.port }} }]
  {{- with $webhooks.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "tollgate.egressToMail" -}}
{{- $mail := .Values.networkPolicy.mail -}}
- ports: [{ protocol: TCP, port: {{ $mail.port }} }]
  {{- with $mail.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "tollgate.egressToOidc" -}}
{{- $oidc := .Values.networkPolicy.oidc -}}
- ports: [{ protocol: TCP, port: {{ $oidc.port }} }]
  {{- with $oidc.to }}
  to: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
