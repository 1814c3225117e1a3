/** Tests of the state machine of MPS. */
@NullMarked
package io.gpushare.mps.machine;

import org.jspecify.annotations.NullMarked;
