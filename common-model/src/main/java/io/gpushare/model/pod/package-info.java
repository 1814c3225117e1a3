/** A pod of the API as one value, which both programs use. Values only: no I/O, no JSON. */
@NullMarked
package io.gpushare.model.pod;

import org.jspecify.annotations.NullMarked;
