/**
 * What other schedulers, gpushare's and HAMi's, wrote on the pods of a cluster that is migrated: which cards a pod has,
 * as far as its annotations say. Pure: this package writes nothing, and nothing is placed by it.
 */
@NullMarked
package io.gpushare.model.foreign;

import org.jspecify.annotations.NullMarked;
