/**
 * The API's JSON, read with only the fields that the programs use. Values and streams only: it knows no connection. Only
 * {@code io.gpushare.kubernetes} and its packages use it.
 */
@NullMarked
package io.gpushare.kubernetes.wire;

import org.jspecify.annotations.NullMarked;
