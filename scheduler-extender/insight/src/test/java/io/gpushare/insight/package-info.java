/** Tests of the program: its options and its process. */
@NullMarked
package io.gpushare.insight;

import org.jspecify.annotations.NullMarked;
