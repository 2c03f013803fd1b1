{{- define "tollgate.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/*
Truncated to 40 characters: a Service name has at most 63, and the longest suffix is "-document-headless".
*/}}
{{- define "tollgate.fullname" -}}
{{- $name := include "tollgate.name" . }}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) }}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Takes (list $ component). Renders the labels that select its pods. */}}
{{- define "tollgate.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "tollgate.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Takes (list $ component). Renders the labels of its objects. */}}
{{- define "tollgate.labels" -}}
{{- $root := index . 0 -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: tollgate
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{/* Takes (list $ component). Renders the name and labels of an object. */}}
{{- define "tollgate.metadata" -}}
name: {{ include "tollgate.fullname" (index . 0) }}-{{ index . 1 }}
labels: {{- include "tollgate.labels" . | nindent 2 }}
{{- end }}

{{- define "tollgate.image" -}}
{{- $reference := printf ":%s" (default .Chart.AppVersion .Values.image.tag) }}
{{- if .Values.image.digest }}{{ $reference = printf "@%s" .Values.image.digest }}{{ end }}
{{- .Values.image.repository }}{{ $reference }}
{{- end }}

{{/* "true" where the catalog is a file, and not in the database. */}}
{{- define "tollgate.hasCatalogFile" -}}
{{- if eq .Values.catalog.source "file" }}true{{ end }}
{{- end }}

{{- define "tollgate.catalogConfigMap" -}}
{{- default (printf "%s-catalog" (include "tollgate.fullname" .)) .Values.catalog.existingConfigMap }}
{{- end }}
