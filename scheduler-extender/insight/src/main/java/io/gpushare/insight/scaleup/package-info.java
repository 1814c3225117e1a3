/** Which new nodes would let pods run that no present node can take. It only reads the ledger. */
@NullMarked
package io.gpushare.insight.scaleup;

import org.jspecify.annotations.NullMarked;
