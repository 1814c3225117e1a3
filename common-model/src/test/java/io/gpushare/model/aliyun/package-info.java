/** Tests of the package of the same name. */
@NullMarked
package io.gpushare.model.aliyun;

import org.jspecify.annotations.NullMarked;
