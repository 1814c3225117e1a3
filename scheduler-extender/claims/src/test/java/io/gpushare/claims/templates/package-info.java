@NullMarked
package io.gpushare.claims.templates;

import org.jspecify.annotations.NullMarked;
