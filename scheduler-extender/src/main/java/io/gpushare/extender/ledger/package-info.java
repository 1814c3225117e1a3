/** TODO package documentation. */
@NullMarked
package io.gpushare.extender.ledger;

import org.jspecify.annotations.NullMarked;
