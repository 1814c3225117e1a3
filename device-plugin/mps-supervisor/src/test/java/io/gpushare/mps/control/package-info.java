/** Tests of the control program's words. */
@NullMarked
package io.gpushare.mps.control;

import org.jspecify.annotations.NullMarked;
