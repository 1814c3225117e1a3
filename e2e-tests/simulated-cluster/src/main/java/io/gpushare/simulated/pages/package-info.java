/**
 * The pages of deploy/docs/reference, beside what programs declare: tables that code writes, and tables that tests
 * compare. It knows neither program.
 */
@org.jspecify.annotations.NullMarked
package io.gpushare.simulated.pages;
