/**
 * NVIDIA's management library (NVML) as Java values: cards, their load, how they are linked, and their Xid errors. The
 * mapping keeps NVML's own names, so that they can be searched in its manual, and stays inside this package; what leaves
 * it are records and UUIDs, never a handle, and nothing here decides what a fact or an error means for Kubernetes.
 *
 * <p>JNA unpacks its own small library at first use. On a read-only root give it {@code -Djna.tmpdir} or, with the library
 * laid down in the image, {@code -Djna.boot.library.path} and {@code -Djna.nounpack=true}; JDK 24 and newer warn unless
 * {@code --enable-native-access=ALL-UNNAMED} is given.
 */
@NullMarked
package io.gpushare.nvml;

import org.jspecify.annotations.NullMarked;
