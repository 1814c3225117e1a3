/** The ledger as text for the command line: tables and sentences made from values. */
@NullMarked
package io.gpushare.insight.text;

import org.jspecify.annotations.NullMarked;
