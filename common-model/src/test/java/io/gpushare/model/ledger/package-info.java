@NullMarked
package io.gpushare.model.ledger;

import org.jspecify.annotations.NullMarked;
