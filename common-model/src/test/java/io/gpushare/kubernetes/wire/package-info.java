/** Tests of the API's JSON forms. */
@NullMarked
package io.gpushare.kubernetes.wire;

import org.jspecify.annotations.NullMarked;
