/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.extender.ledger;

import org.jspecify.annotations.NullMarked;
