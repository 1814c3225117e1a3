/**
 * What AliyunContainerService's gpushare wrote on the pods of a cluster that is migrated: which card a pod has, as far as its
 * annotations say. Pure: this package writes nothing, and nothing is placed by it.
 */
@NullMarked
package io.gpushare.model.aliyun;

import org.jspecify.annotations.NullMarked;
