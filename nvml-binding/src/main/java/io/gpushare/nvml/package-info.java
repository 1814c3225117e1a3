/**
 * NVIDIA's management library (NVML) as Java values: cards, their utilization, the links between them, and their Xid
 * errors. What leaves this package is records and UUIDs, never a handle. It does not decide what a fact or an error
 * means for Kubernetes.
 *
 * <p>JNA unpacks its own small library at first use. On a read-only root file system pass {@code -Djna.tmpdir} or, if
 * the image contains the library, {@code -Djna.boot.library.path} and {@code -Djna.nounpack=true}; JDK 24 and newer
 * warn unless {@code --enable-native-access=ALL-UNNAMED} is given.
 */
@NullMarked
package io.gpushare.nvml;

import org.jspecify.annotations.NullMarked;
