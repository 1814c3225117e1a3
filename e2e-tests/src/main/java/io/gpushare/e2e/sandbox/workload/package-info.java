/**
 * The pods that the sandbox creates, as values. The package calls no API.
 */
@NullMarked
package io.gpushare.e2e.sandbox.workload;

import org.jspecify.annotations.NullMarked;
