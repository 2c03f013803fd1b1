{{/* The security context of every pod. Only volumes are writable. */}}
{{- define "tollgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tollgate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Renders what a Job's pod needs to be scheduled, as the pods of the services by default. */}}
{{- define "tollgate.jobScheduling" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $field := list "nodeSelector" "tolerations" }}
{{- with index $.Values.services.defaults $field }}
{{ $field }}: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* Renders the variables of the providers: their keys and addresses. */}}
{{- define "tollgate.providerSecrets" -}}
{{- with .Values.secrets.providers }}
envFrom:
  {{- range . }}
  - secretRef: { name: {{ . }} }
  {{- end }}
{{- end }}
{{- end }}

{{/* Takes a dict of root, name, traits, settings and kind. Renders the pod template of a service. */}}
{{- define "tollgate.podTemplate" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "tollgate.labels" (list $root .name) | nindent 4 }}
    {{- with .settings.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- with .settings.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "tollgate.fullname" $root }}-{{ .name }}
  automountServiceAccountToken: false
  # Services find each other by DNS and need no environment variables for Services.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $root.Values.terminationGracePeriodSeconds }}
  securityContext: {{- include "tollgate.podSecurity" $root | nindent 4 }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- range $field := list "nodeSelector" "tolerations" "affinity" }}
  {{- with index $.settings $field }}
  {{ $field }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "tollgate.selector" (list $root $.name) | nindent 10 }}
      # Spreads the pods of one revision, independently of the previous revision's pods.
      matchLabelKeys: [{{ ternary "pod-template-hash" "controller-revision-hash" (eq $.kind "Deployment") }}]
    {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "tollgate.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: ["--target", {{ .name | quote }}]
      env: {{- include "tollgate.environment" . | nindent 8 }}
      {{- if .traits.providers }}
      {{- include "tollgate.providerSecrets" $root | nindent 6 }}
      {{- end }}
      ports: {{- include "tollgate.containerPorts" .traits | nindent 8 }}
      securityContext: {{- include "tollgate.containerSecurity" $root | nindent 8 }}
      resources: {{- toYaml .settings.resources | nindent 8 }}
      {{- include "tollgate.probes" $root | nindent 6 }}
      volumeMounts: {{- include "tollgate.volumeMounts" . | nindent 8 }}
  volumes: {{- include "tollgate.volumes" . | nindent 4 }}
{{- end }}

{{- define "tollgate.containerPorts" -}}
- { name: grpc, containerPort: 9090 }
{{- if .proxied }}
- { name: http-internal, containerPort: 9091 }
{{- end }}
{{- if .clients }}
- { name: http, containerPort: 8080 }
{{- end }}
{{- if .operators }}
- { name: console, containerPort: 8081 }
{{- end }}
{{- if .customers }}
- { name: customers, containerPort: 8082 }
{{- end }}
- { name: operations, containerPort: 9092 }
{{- end }}

{{/*
No preStop hook is needed: the program continues to serve during the drain, while /readyz fails.
*/}}
{{- define "tollgate.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: operations }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: operations }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: operations }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end }}

{{- define "tollgate.volumeMounts" -}}
- { name: temporary-files, mountPath: /tmp }
{{- if and .traits.catalog (include "tollgate.hasCatalogFile" .root) }}
# Mounted as a folder, because changes of a ConfigMap do not reach subPath mounts.
- { name: catalog, mountPath: /etc/tollgate, readOnly: true }
{{- end }}
{{- if .traits.providers }}
- { name: spool, mountPath: /var/lib/tollgate/spool }
{{- end }}
{{- if .root.Values.tls.secretName }}
# As a folder, because changes of a Secret do not reach subPath mounts.
- { name: tls, mountPath: /etc/tollgate-tls, readOnly: true }
{{- end }}
{{- end }}

{{- define "tollgate.volumes" -}}
- name: temporary-files
  emptyDir: { sizeLimit: {{ .settings.temporaryFilesSize }} }
{{- if and .traits.catalog (include "tollgate.hasCatalogFile" .root) }}
- name: catalog
  configMap: { name: {{ include "tollgate.catalogConfigMap" .root }} }
{{- end }}
{{- with .root.Values.tls.secretName }}
- name: tls
  secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- if and .traits.providers (eq .kind "Deployment") }}
- name: spool
  emptyDir: { sizeLimit: {{ .root.Values.spool.size }} }
{{- end }}
{{- end }}
