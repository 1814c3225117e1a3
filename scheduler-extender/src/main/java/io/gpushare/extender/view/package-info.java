/**
 * The ledger and its explanations for people: pictures as JSON and tables as text. Pure: values in, bytes or text out. It
 * decides nothing, and knows neither HTTP nor Kubernetes.
 */
@NullMarked
package io.gpushare.extender.view;

import org.jspecify.annotations.NullMarked;
