/**
 * The API's JSON as it is read while it arrives: objects with the few fields that the programs use, and the client library's
 * JSON settings that tolerate newer API servers. Only {@code io.gpushare.kubernetes} and its packages use it.
 */
@NullMarked
package io.gpushare.kubernetes.wire;

import org.jspecify.annotations.NullMarked;
