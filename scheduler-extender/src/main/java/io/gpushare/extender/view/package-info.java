/**
 * The ledger as JSON for users and programs: bytes made from values, without HTTP. Its texts are in the package text.
 */
@NullMarked
package io.gpushare.extender.view;

import org.jspecify.annotations.NullMarked;
