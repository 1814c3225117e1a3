{{- define "gpushare.device-plugin" -}}gpu-share-device-plugin{{- end }}
{{- define "gpushare.extender" -}}gpu-share-scheduler-extender{{- end }}
{{- define "gpushare.service" -}}gpushare-schd-extender{{- end }}

{{- /* The labels of an object; the argument is the context and the component. */}}
{{- define "gpushare.labels" -}}
{{- $root := index . 0 -}}
app: gpushare
component: {{ index . 1 }}
{{- if not $root.Values.compatibility.gpushare }}
app.kubernetes.io/name: gpushare
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end }}
{{- end }}

{{- define "gpushare.image" -}}
{{- $image := index . 1 -}}
{{ with (index . 0).Values.image.registry }}{{ . }}/{{ end }}{{ $image.repository }}:{{ $image.tag | default (index . 0).Chart.AppVersion }}
{{- end }}

{{- /* The value, or the default where it is null. Both are "true" or "false". */}}
{{- define "gpushare.or" -}}
{{- if kindIs "invalid" (index . 0) }}{{ index . 1 }}{{ else }}{{ index . 0 }}{{ end }}
{{- end }}

{{- define "gpushare.at-least" -}}
{{- semverCompare (printf ">=%s.0-0" (index . 1)) (index . 0).Capabilities.KubeVersion.Version }}
{{- end }}

{{- define "gpushare.tls" -}}
{{- include "gpushare.or" (list .Values.tls.enabled (not .Values.compatibility.gpushare)) }}
{{- end }}

{{- /* Whether the view has a port of its own: on the other one it needs a client certificate, which no proxy has. */}}
{{- define "gpushare.view-port" -}}
{{- and (eq (include "gpushare.tls" .) "true") (eq .Values.extender.view "on") }}
{{- end }}

{{- define "gpushare.network-policy" -}}
{{- $plain := ne (include "gpushare.tls" .) "true" -}}
{{- include "gpushare.or" (list .Values.networkPolicy.enabled (and $plain (not .Values.compatibility.gpushare))) }}
{{- end }}

{{- /* The resources that pods request of GPU Share, as a list in CEL and YAML. */}}
{{- define "gpushare.requested" -}}
{{- $names := list .Values.resources.memory .Values.resources.card -}}
{{- if .Values.hami.enabled }}{{ $names = concat $names (append (include "gpushare.hami-parts" . | fromJsonArray) "nvidia.com/gpu") }}{{ end -}}
{{ toJson $names }}
{{- end }}

{{- /* Whether a pod requests them, in CEL. */}}
{{- define "gpushare.requests-gpu" -}}
(object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : [])).exists(c,
has(c.resources) && has(c.resources.limits) && {{ include "gpushare.requested" . }}.exists(name, name in c.resources.limits))
{{- end }}

{{- define "gpushare.mutating-version" -}}
admissionregistration.k8s.io/{{ ternary "v1" "v1beta1" (eq (include "gpushare.at-least" (list . "1.36")) "true") }}
{{- end }}

{{- /* What HAMi's users request of each card: no node reports these resources. */}}
{{- define "gpushare.hami-parts" -}}
["nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores", "nvidia.com/priority"]
{{- end }}

{{- define "gpushare.resource-args" -}}
{{- with .Values.resources }}
{{- if and $.Values.hami.enabled (has "nvidia.com/gpu" (concat (list .memory .card .core) .formerMemory .formerCard)) }}
{{- fail "hami.enabled=true needs nvidia.com/gpu for HAMi's requests: no name in resources, present or former, may be nvidia.com/gpu" }}
{{- end }}
{{- end }}
{{- if .Values.hami.enabled }}
- --hami
{{- end }}
{{- if ne .Values.resources.memory "aliyun.com/gpu-mem" }}
- {{ printf "--memory-resource=%s" .Values.resources.memory }}
{{- end }}
{{- if ne .Values.resources.card "aliyun.com/gpu-count" }}
- {{ printf "--card-resource=%s" .Values.resources.card }}
{{- end }}
{{- if .Values.resources.core }}
- {{ printf "--core-resource=%s" .Values.resources.core }}
{{- end }}
{{- if ne (join "," .Values.resources.formerMemory) "aliyun.com/gpu-mem" }}
- {{ printf "--former-memory-resources=%s" (join "," .Values.resources.formerMemory) }}
{{- end }}
{{- if ne (join "," .Values.resources.formerCard) "aliyun.com/gpu-count" }}
- {{ printf "--former-card-resources=%s" (join "," .Values.resources.formerCard) }}
{{- end }}
{{- if ne .Values.nodeLeaseNamespace "gpushare-node-lease" }}
- {{ printf "--node-lease-namespace=%s" .Values.nodeLeaseNamespace }}
{{- end }}
{{- end }}

{{- /* The nodes of the device plugin that offers cards in that way, and of what it needs beside it; "any" for both. */}}
{{- define "gpushare.plugin-affinity" -}}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      {{- range $label, $value := (index . 0).Values.devicePlugin.anyNodeLabel }}
      - matchExpressions:
          - key: {{ $label }}
            operator: In
            values: [{{ $value | quote }}]
          {{- include "gpushare.not-paused" $ | nindent 10 }}
      {{- else }}
      - matchExpressions:
          {{- include "gpushare.not-paused" . | nindent 10 }}
      {{- end }}
{{- end }}

{{- /* Nodes without a label match NotIn. */}}
{{- define "gpushare.not-paused" -}}
- key: gpushare.io/plugin
  operator: DoesNotExist
{{- if and (index . 0).Values.dra.enabled (ne (index . 1) "any") }}
- key: gpushare.io/serve
  operator: {{ ternary "In" "NotIn" (eq (index . 1) "dra") }}
  values: [dra]
{{- end }}
{{- /* Where claims are served, the kubelet needs the driver to end a pod: it stays, and pauses itself. */}}
{{- if or (not (index . 0).Values.dra.enabled) (eq (index . 1) "any") }}
{{- range (index . 0).Values.devicePlugin.pauseLabels }}
- key: {{ . }}
  operator: NotIn
  values: [paused-for-driver-upgrade, paused-for-mig-change, paused-for-mig-change_paused-for-driver-upgrade]
{{- end }}
{{- end }}
{{- end }}

{{- /* Whether the plugin sets limits of the driver. */}}
{{- define "gpushare.driver-limits" -}}
{{- or (eq .Values.isolation.provider "driver") (eq .Values.isolation.provider "auto") }}
{{- end }}

{{- /* The SELinux type of the device plugin; empty: the one of every container. */}}
{{- define "gpushare.selinux-type" -}}
{{- .Values.devicePlugin.seLinuxType | default (ternary "container_device_plugin_t" "" .Values.openshift.enabled) }}
{{- end }}

{{- define "gpushare.scheduler-assigns" -}}
{{- include "gpushare.or" (list .Values.scheduler.assign (include "gpushare.at-least" (list . "1.36"))) }}
{{- end }}

{{- /* Admission policies from deploy/admission, for the names of this release. */}}
{{- define "gpushare.admission" -}}
{{- .text | replace "serviceaccount:kube-system:" (printf "serviceaccount:%s:" .namespace)
    | replace "object.metadata.namespace == \"kube-system\"" (printf "object.metadata.namespace == %q" .namespace)
    | replace "request.namespace == \"kube-system\"" (printf "request.namespace in [\"kube-system\", %q]" .namespace)
    | replace "aliyun.com/gpu-mem" .resources.memory | replace "aliyun.com/gpu-count" .resources.card
    | replace "{name: hami, expression: \"false\"}" (printf "{name: hami, expression: \"%t\"}" .hami)
    | replace "{name: claims, expression: \"false\"}" (printf "{name: claims, expression: \"%t\"}" .claims)
    | replace "{name: others, expression: \"[]\"}" (printf "{name: others, expression: '%s'}" (toJson .others))
    | replace "{name: refuseEnvFrom, expression: \"false\"}" (printf "{name: refuseEnvFrom, expression: \"%t\"}" .refuseEnvFrom) }}
{{- end }}

{{- define "gpushare.names" -}}
{{- .text | replace "namespace: kube-system" (printf "namespace: %s" .namespace) }}
{{- end }}
