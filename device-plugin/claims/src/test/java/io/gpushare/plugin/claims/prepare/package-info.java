@NullMarked
package io.gpushare.plugin.claims.prepare;

import org.jspecify.annotations.NullMarked;
