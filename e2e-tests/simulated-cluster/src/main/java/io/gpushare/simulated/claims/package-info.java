/**
 * What kube-controller-manager, kube-scheduler and the kubelet do with ResourceClaims, as far as pods with claims on
 * cards need it: claims from templates, amounts of sharable devices, and CDI files. Extended resources by device
 * classes, administrative access, alternatives in requests, and binding conditions are not simulated.
 */
@NullMarked
package io.gpushare.simulated.claims;

import org.jspecify.annotations.NullMarked;
