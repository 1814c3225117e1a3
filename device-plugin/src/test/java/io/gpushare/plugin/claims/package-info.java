@NullMarked
package io.gpushare.plugin.claims;

import org.jspecify.annotations.NullMarked;
