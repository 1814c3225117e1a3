/** The simulated controller of Deployments. It is a client of the API server only. */
@NullMarked
package io.gpushare.simulated.controller;

import org.jspecify.annotations.NullMarked;
