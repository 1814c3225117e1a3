/**
 * The templates of claims that waiting pods name by their content: what an admission policy writes into a pod whose
 * requests are extended resources. The leading extender creates those that are missing, and removes those that no pod
 * waits for. All but the controller is pure.
 */
@NullMarked
package io.gpushare.claims.templates;

import org.jspecify.annotations.NullMarked;
