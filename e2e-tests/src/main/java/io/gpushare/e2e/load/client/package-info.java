/**
 * The clients of a load run: kept connections with little work of their own, and several at once. It measures nothing.
 */
@NullMarked
package io.gpushare.e2e.load.client;

import org.jspecify.annotations.NullMarked;
