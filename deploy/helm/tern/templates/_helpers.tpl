{{- define "tern.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "tern.labels" -}}
app.kubernetes.io/name: tern
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "tern.selector" -}}
app.kubernetes.io/name: tern
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tern.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tern.database" -}}
{{ include "tern.name" . }}-db
{{- end -}}

{{- define "tern.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "tern.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Address of the database for a role; dict: root, role, variable with its password, and a service other than -rw. */}}
{{- define "tern.databaseUrl" -}}
postgres://{{ .role }}:$({{ .password }})@{{ include "tern.database" .root }}-{{ .service | default "rw" }}.{{ .root.Release.Namespace }}.svc/{{ .root.Values.database.name }}?sslmode=verify-full&sslrootcert=/run/secrets/database/ca.crt
{{- end -}}

{{- define "tern.environment" -}}
{{- range .Values.secrets.keys }}
- name: {{ . }}_FILE
  value: /run/secrets/tern/{{ . }}
{{- end }}
{{- if .Values.database.create }}
- name: APPLICATION_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .Values.database.applicationSecret }}, key: password } }
- name: DATABASE_URL
  value: {{ include "tern.databaseUrl" (dict "root" . "role" .Values.database.applicationRole "password" "APPLICATION_PASSWORD") | quote }}
{{- if .Values.database.readReplicas }}
- name: REPLICA_DATABASE_URL
  value: {{ include "tern.databaseUrl" (dict "root" . "role" .Values.database.applicationRole "password" "APPLICATION_PASSWORD" "service" "reads") | quote }}
{{- end }}
{{- else }}
- name: DATABASE_URL_FILE
  value: /run/secrets/tern/DATABASE_URL
{{- end }}
{{- end -}}

{{- define "tern.mounts" -}}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: secrets, mountPath: /run/secrets/tern, readOnly: true }
  {{- if .Values.database.create }}
  - { name: database-ca, mountPath: /run/secrets/database, readOnly: true }
  {{- end }}
{{- end -}}

{{/* The Secret contains the owner's address too, unless the chart makes the database; only migrate gets it. */}}
{{- define "tern.volumes" -}}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 1Gi }
  - name: secrets
    {{- if .keys }}
    secret:
      secretName: {{ .root.Values.secrets.existing }}
      defaultMode: 0440
      items:
        {{- range .keys }}
        - { key: {{ . }}, path: {{ . }} }
        {{- end }}
    {{- else }}
    emptyDir: {}
    {{- end }}
  {{- if .root.Values.database.create }}
  - name: database-ca
    secret:
      secretName: {{ include "tern.database" .root }}-ca
      defaultMode: 0440
      items: [{ key: ca.crt, path: ca.crt }]
  {{- end }}
{{- end -}}

{{- define "tern.runtimeVolumes" -}}
{{- $keys := .Values.secrets.keys -}}
{{- if not .Values.database.create -}}{{- $keys = append $keys "DATABASE_URL" -}}{{- end -}}
{{- include "tern.volumes" (dict "root" . "keys" $keys) -}}
{{- end -}}

{{- define "tern.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "tern.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
{{- end -}}
