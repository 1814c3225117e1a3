/**
 * The bodies of the API server's responses: lists, watches, tables and discovery. The package decides nothing about a
 * request.
 */
@NullMarked
package io.gpushare.simulated.apiserver.response;

import org.jspecify.annotations.NullMarked;
