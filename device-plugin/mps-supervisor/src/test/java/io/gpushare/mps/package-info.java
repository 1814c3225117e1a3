/** Tests of the supervisor of MPS. */
@NullMarked
package io.gpushare.mps;

import org.jspecify.annotations.NullMarked;
