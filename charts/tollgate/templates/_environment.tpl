{{/* Takes (list name reference). Renders a variable from a Secret. */}}
{{- define "tollgate.secretVariable" -}}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef: {{- pick (index . 1) "name" "key" | toYaml | nindent 6 }}
{{- end }}

{{/* Takes (list $ reference). The dev database has no password: network policies protect it. */}}
{{- define "tollgate.databaseVariable" -}}
{{- $root := index . 0 -}}
{{- if $root.Values.dev.postgres.enabled -}}
- name: DATABASE_URL
  value: postgresql://tollgate@{{ include "tollgate.fullname" $root }}-postgres/tollgate
{{- else -}}
{{- include "tollgate.secretVariable" (list "DATABASE_URL" (index . 1)) }}
{{- end }}
{{- end }}

{{/* The dev broker's password is the fleet's secret: Kubernetes puts the variable before this one in. */}}
{{- define "tollgate.natsVariable" -}}
{{- if .Values.dev.nats.enabled -}}
- name: NATS_URL
  value: nats://tollgate:$(TOLLGATE_FLEET_SECRET)@{{ include "tollgate.fullname" . }}-nats:4222
{{- else -}}
{{- include "tollgate.secretVariable" (list "NATS_URL" .Values.secrets.nats) }}
{{- end }}
{{- end }}

{{/* "true" if a Job applies the migrations: the dev database does not exist before the install. */}}
{{- define "tollgate.migratesByJob" -}}
{{- if and .Values.hooks .Values.migrations.enabled (not .Values.dev.postgres.enabled) }}true{{ end }}
{{- end }}

{{/* Takes a quantity of Kubernetes, such as 256Mi. Renders it in bytes. */}}
{{- define "tollgate.bytes" -}}
{{- $bytes := float64 . -}}
{{- if kindIs "string" . -}}
{{- $units := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 -}}
{{- $bytes = mulf (regexFind "^[0-9.]+" .) (get $units (regexFind "[A-Za-z]*$" .)) -}}
{{- end -}}
{{- printf "%.3f" $bytes -}}
{{- end }}

{{/* Renders the variable with the address of the simulated provider. */}}
{{- define "tollgate.simulatorVariable" -}}
- name: TOLLGATE_SIMULATOR_URL
  value: http://{{ include "tollgate.fullname" . }}-simulator:8080/v1
{{- end }}

{{/*
Renders the variables that `services` gives to every service that calls providers, for the check of
the catalog: these services do not start without the variables that the catalog names.
*/}}
{{- define "tollgate.catalogCheckVariables" -}}
{{- $common := dict -}}
{{- $isFirst := true -}}
{{- range $name, $traits := include "tollgate.fleet" . | fromYaml -}}
{{- if $traits.providers -}}
{{- $env := (include "tollgate.settings" (list $ $name) | fromYaml).env -}}
{{- if $isFirst -}}{{- $common = $env -}}{{- end -}}
{{- $isFirst = false -}}
{{- range $variable := keys $common -}}
{{- if not (get $env $variable) -}}{{- $common = omit $common $variable -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .Values.dev.simulator.enabled }}
{{ include "tollgate.simulatorVariable" . }}
{{- end }}
{{- range $variable, $value := $common }}
- name: {{ $variable }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/*
Takes a dict of name and settings. Renders seven eighths of the volume of a service's uploads, in MiB.
*/}}
{{- define "tollgate.uploadsMiB" -}}
{{- $size := .settings.temporaryFilesSize -}}
{{- $bytes := include "tollgate.bytes" $size | float64 -}}
{{- $mebibytes := divf (mulf $bytes 0.875) 1048576 | floor | int64 -}}
{{- if lt $mebibytes 26 -}}
{{- fail (printf "services.%s.temporaryFilesSize must be at least 30Mi: the largest form takes 26 MiB" .name) -}}
{{- end -}}
{{- $mebibytes -}}
{{- end }}

{{/* Renders the variables of the console. */}}
{{- define "tollgate.consoleVariables" -}}
{{- $console := .Values.console -}}
- name: TOLLGATE_CONSOLE_LISTEN
  value: "*:8081"
- name: TOLLGATE_CONSOLE_PROXIES
  value: {{ $console.proxies | quote }}
- name: TOLLGATE_EDGE_URL
  value: http://{{ include "tollgate.fullname" . }}-edge:8080
- name: TOLLGATE_PLAYGROUND_BUDGET
  value: {{ $console.playgroundBudget | quote }}
{{- with .Values.publicUrl }}
- name: TOLLGATE_PUBLIC_URL
  value: {{ . | quote }}
{{- end }}
{{- with $console.url }}
- name: TOLLGATE_CONSOLE_URL
  value: {{ . | quote }}
{{- end }}
{{- with $console.customers.url }}
- name: TOLLGATE_CUSTOMER_LISTEN
  value: "*:8082"
- name: TOLLGATE_CUSTOMER_URL
  value: {{ . | quote }}
{{- end }}
{{- with $console.oidc }}
{{- if .issuer }}
- name: TOLLGATE_OIDC_ISSUER
  value: {{ .issuer | quote }}
- name: TOLLGATE_OIDC_CLIENT_ID
  value: {{ required "console.oidc.clientId must be set" .clientId | quote }}
- name: TOLLGATE_OIDC_ROLES
  value: {{ required "console.oidc.roles must be set" (join "," .roles) | quote }}
- name: TOLLGATE_OIDC_ROLE_CLAIM
  value: {{ .roleClaim | quote }}
- name: TOLLGATE_OIDC_SCOPES
  value: {{ join " " .scopes | quote }}
{{- with .name }}
- name: TOLLGATE_OIDC_NAME
  value: {{ . | quote }}
{{- end }}
{{- with .clientSecret }}
{{ include "tollgate.secretVariable" (list "TOLLGATE_OIDC_CLIENT_SECRET" .) }}
{{- end }}
{{- if not $console.url }}{{ fail "console.url must be set for console.oidc" }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Renders the variables of payments. */}}
{{- define "tollgate.paymentVariables" -}}
{{- with .Values.payments.statementIssuer }}
- name: TOLLGATE_STATEMENT_ISSUER
  value: {{ . | quote }}
{{- end }}
{{- with .Values.payments.stripe }}
{{- if .key }}
{{ include "tollgate.secretVariable" (list "TOLLGATE_STRIPE_KEY" .key) }}
{{ include "tollgate.secretVariable" (list "TOLLGATE_STRIPE_WEBHOOK_SECRET" (required "payments.stripe.webhookSecret must be set" .webhookSecret)) }}
- name: TOLLGATE_TOP_UPS
  value: {{ $.Values.payments.topUps | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Renders the variables of billing by which it sends mail and lets people sign up. */}}
{{- define "tollgate.mailVariables" -}}
{{- $signUp := .Values.signUp -}}
{{ include "tollgate.secretVariable" (list "TOLLGATE_SMTP_URL" .Values.secrets.smtp) }}
- name: TOLLGATE_MAIL_FROM
  value: {{ required "mail.from must be set for secrets.smtp" .Values.mail.from | quote }}
- name: TOLLGATE_SIGNUP
  value: {{ $signUp.mode | quote }}
{{- with $signUp.domains }}
- name: TOLLGATE_SIGNUP_DOMAINS
  value: {{ join "," . | quote }}
{{- end }}
{{- with $signUp.credit }}
- name: TOLLGATE_SIGNUP_CREDIT
  value: {{ . | quote }}
{{- end }}
{{- if $signUp.creditNeedsCard }}
- name: TOLLGATE_SIGNUP_CARD
  value: "on"
{{- end }}
{{- with $signUp.termsUrl }}
- name: TOLLGATE_TERMS_URL
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Renders "true" where billing needs the key that encrypts mail, webhooks and second factors. */}}
{{- define "tollgate.needsIdentityKey" -}}
{{- if or .Values.secrets.smtp.name .Values.warnings.webhooks (ne .Values.console.requireTotp "off") -}}
true
{{- end -}}
{{- end }}

{{/* Takes a dict of root, name, traits and settings. Renders the environment of a service. */}}
{{- define "tollgate.environment" -}}
{{- $root := .root -}}
{{- $fullname := include "tollgate.fullname" $root -}}
{{- $fleet := include "tollgate.fleet" $root | fromYaml -}}
{{ include "tollgate.secretVariable" (list "TOLLGATE_FLEET_SECRET" $root.Values.secrets.fleet) }}
{{- if .traits.operatorSecret }}
{{ include "tollgate.secretVariable" (list "TOLLGATE_OPERATOR_SECRET" $root.Values.secrets.operator) }}
{{- end }}
{{- if and (or .traits.storesSecrets .traits.providers) $root.Values.secrets.secretsKey.name }}
{{ include "tollgate.secretVariable" (list "TOLLGATE_SECRETS_KEY" $root.Values.secrets.secretsKey) }}
{{- end }}
{{- if and .traits.storesSecrets $root.Values.secrets.contentKey.name }}
{{ include "tollgate.secretVariable" (list "TOLLGATE_CONTENT_KEY" $root.Values.secrets.contentKey) }}
{{- end }}
{{ include "tollgate.natsVariable" $root }}
{{- if .traits.database }}
{{ include "tollgate.databaseVariable" (list $root (default $root.Values.secrets.database .settings.databaseSecret)) }}
{{- if include "tollgate.migratesByJob" $root }}
- name: TOLLGATE_MIGRATE
  value: "off"
{{- end }}
{{- end }}
{{- if .traits.clients }}
- name: PORT
  value: "8080"
{{- if $root.Values.tracing.content }}
- name: TOLLGATE_TRACE_CONTENT
  value: "on"
{{- end }}
{{- with $root.Values.corsOrigins }}
- name: TOLLGATE_CORS_ORIGINS
  value: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{- if .traits.operators }}
{{ include "tollgate.consoleVariables" $root }}
{{- end }}
{{- if and .traits.mail (include "tollgate.needsIdentityKey" $root) }}
{{ include "tollgate.secretVariable" (list "TOLLGATE_IDENTITY_KEY" $root.Values.secrets.identityKey) }}
{{- if $root.Values.warnings.privateWebhooks }}
- name: TOLLGATE_PRIVATE_WEBHOOKS
  value: "1"
{{- end }}
{{- if ne $root.Values.console.requireTotp "off" }}
- name: TOLLGATE_REQUIRE_TOTP
  value: {{ $root.Values.console.requireTotp | quote }}
{{- end }}
{{- end }}
{{- if and .traits.mail $root.Values.secrets.smtp.name }}
{{ include "tollgate.mailVariables" $root }}
{{- end }}
- name: TOLLGATE_LISTEN
  value: "*:9090"
{{- if $root.Values.tls.secretName }}
- name: TOLLGATE_TLS_DIR
  value: /etc/tollgate-tls
{{- end }}
{{- if .traits.proxied }}
- name: TOLLGATE_HTTP_LISTEN
  value: "*:9091"
- name: TOLLGATE_UPLOADS_MIB
  value: {{ include "tollgate.uploadsMiB" . | quote }}
{{- end }}
- name: TOLLGATE_OPERATIONS_LISTEN
  value: "*:9092"
- name: TOLLGATE_DRAIN_SECONDS
  value: {{ $root.Values.drainSeconds | quote }}
# Shorter than the pod's grace period, so that final writes succeed.
- name: TOLLGATE_GRACE_SECONDS
  value: {{ sub (int $root.Values.terminationGracePeriodSeconds) (add (int $root.Values.drainSeconds) 15) | max 1 | quote }}
- name: TOLLGATE_LOG
  value: {{ $root.Values.log }}
{{- with $root.Values.tracing }}
{{- if .endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .share | quote }}
{{- end }}
{{- end }}
{{- if and .traits.catalog (include "tollgate.hasCatalogFile" $root) }}
- name: TOLLGATE_CATALOG
  value: /etc/tollgate/catalog.yaml
{{- end }}
{{- if .traits.providers }}
- name: TOLLGATE_SPOOL_DIR
  value: /var/lib/tollgate/spool
{{- if $root.Values.dev.simulator.enabled }}
{{ include "tollgate.simulatorVariable" $root }}
{{- end }}
{{- end }}
{{- range .traits.calls }}
- name: TOLLGATE_{{ upper . }}_ADDRESS
  value: dns:///{{ $fullname }}-{{ . }}-headless:9090
{{- if (index $fleet .).proxied }}
- name: TOLLGATE_{{ upper . }}_HTTP_ADDRESS
  value: {{ $fullname }}-{{ . }}-headless:9091
{{- end }}
{{- end }}
{{- if eq .name "billing" }}
{{- include "tollgate.paymentVariables" $root }}
{{- if or $root.Values.payments.stripe.key $root.Values.secrets.smtp.name }}
- name: TOLLGATE_CONSOLE_URL
  value: {{ required "console.url must be set for payments and for secrets.smtp" $root.Values.console.url | quote }}
{{- with $root.Values.console.customers.url }}
- name: TOLLGATE_CUSTOMER_URL
  value: {{ . | quote }}
{{- end }}
{{- end }}
# For the operator's CLI, which runs in this pod.
- name: TOLLGATE_BILLING_ADDRESS
  value: 127.0.0.1:9090
{{- end }}
{{- range $name, $value := .settings.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
