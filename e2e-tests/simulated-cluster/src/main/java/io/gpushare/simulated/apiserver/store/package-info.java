/**
 * The objects of the simulated API server with their versions, changes and watchers. The package does no I/O and has
 * no knowledge of HTTP.
 */
@NullMarked
package io.gpushare.simulated.apiserver.store;

import org.jspecify.annotations.NullMarked;
