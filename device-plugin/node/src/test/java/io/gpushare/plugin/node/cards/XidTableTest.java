package io.gpushare.plugin.node.cards;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class XidTableTest {
    @Test
    void commonXidsHaveTheClassesOfNvidiasCatalogue() {
        Map<XidClass, List<Long>> known = Map.of(
                XidClass.IGNORE, List.of(43L, 63L, 92L, 154L),
                XidClass.RESTART_APP, List.of(13L, 31L, 45L, 68L, 94L, 109L),
                XidClass.RESET_CARD, List.of(48L, 64L, 74L, 95L, 110L, 119L, 120L, 140L, 149L),
                XidClass.REBOOT_NODE, List.of(79L),
                XidClass.UNKNOWN, List.of(0L, 1L, 91L, 163L, 9_999L));
        known.forEach((xidClass, xids) -> assertThat(xids).allMatch(xid -> XidTable.of(xid) == xidClass));
    }

    @Test
    void theSixThatNvidiasPluginIgnoresLeaveTheCardHealthy() {
        assertThat(List.of(13, 31, 43, 45, 68, 109))
                .noneMatch(xid -> XidTable.of(xid).unhealthy());
    }

    @Test
    void anApplicationErrorLeavesTheCardHealthyAndAnUnknownOneDoesNot() {
        assertThat(List.of(13, 31, 43, 45, 68, 94))
                .noneMatch(xid -> XidTable.of(xid).unhealthy());
        assertThat(List.of(48, 74, 79, 95, 110, 119, 5, 500))
                .allMatch(xid -> XidTable.of(xid).unhealthy());
    }
}
