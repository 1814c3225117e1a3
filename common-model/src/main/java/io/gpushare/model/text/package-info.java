/** Text from outside the programs: read as an amount, compared with known names, made safe to show. Pure, and below the rest of the model. */
@NullMarked
package io.gpushare.model.text;

import org.jspecify.annotations.NullMarked;
