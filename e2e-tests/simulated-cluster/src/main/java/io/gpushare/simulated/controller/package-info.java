/** Simulated controllers: of Deployments and of ResourceQuotas. They are clients of the API server only. */
@NullMarked
package io.gpushare.simulated.controller;

import org.jspecify.annotations.NullMarked;
