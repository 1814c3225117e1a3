/**
 * The ledger for users and programs: one value for each response, which Jackson writes as JSON. The package text makes
 * tables and sentences of the same values, and the package routes serves both.
 */
@NullMarked
package io.gpushare.insight.view;

import org.jspecify.annotations.NullMarked;
