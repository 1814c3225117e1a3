/** Tests of the program: its options and its process. */
@NullMarked
package io.gpushare.extender.program;

import org.jspecify.annotations.NullMarked;
