/** Tests of the replay, on files that they write. */
@NullMarked
package io.gpushare.extender.simulation;

import org.jspecify.annotations.NullMarked;
