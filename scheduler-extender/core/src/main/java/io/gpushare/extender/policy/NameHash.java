package io.gpushare.extender.policy;

/** Numbers that look random but are the same in every run: FNV-1a over bytes, then MurmurHash3's 64-bit finalizer. */
public final class NameHash {
    private NameHash() {}

    public static long of(byte[] bytes, long salt) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return of(hash, salt);
    }

    public static long of(long number, long salt) {
        long hash = number + 0x9e3779b97f4a7c15L * (salt + 1);
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
