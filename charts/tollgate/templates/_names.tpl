{{- define "tollgate.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/*
The longest suffix is "-document-headless", and a Service's name has 63 characters at most.
*/}}
{{- define "tollgate.fullname" -}}
{{- $name := include "tollgate.name" . }}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Of (list $ component): what selects its pods. */}}
{{- define "tollgate.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "tollgate.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Of (list $ component): the labels of its objects. */}}
{{- define "tollgate.labels" -}}
{{- $root := index . 0 -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: tollgate
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{/* Of (list $ component): the name and labels of an object of that component. */}}
{{- define "tollgate.metadata" -}}
name: {{ include "tollgate.fullname" (index . 0) }}-{{ index . 1 }}
labels: {{- include "tollgate.labels" . | nindent 2 }}
{{- end }}

{{- define "tollgate.image" -}}
{{- $reference := printf ":%s" (default .Chart.AppVersion .Values.image.tag) }}
{{- if .Values.image.digest }}{{ $reference = printf "@%s" .Values.image.digest }}{{ end }}
{{- .Values.image.repository }}{{ $reference }}
{{- end }}

{{- define "tollgate.catalogConfigMap" -}}
{{- default (printf "%s-catalog" (include "tollgate.fullname" .)) .Values.catalog.existingConfigMap }}
{{- end }}
