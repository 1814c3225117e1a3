/** A simulated controller of Deployments, which creates and deletes their pods. It is a client of the API server only. */
@NullMarked
package io.gpushare.simulated.controller;

import org.jspecify.annotations.NullMarked;
