/** Tests of the page and of kubectl gpushare, in a browser and a shell. */
@NullMarked
package io.gpushare.e2e.sandbox.view;

import org.jspecify.annotations.NullMarked;
