/** What is used of it: the package has no types of its own. */
declare module 'fs-native-extensions' {
  const addon: {
    /** @returns false when another open file has the lock, in this process or another one */
    tryLock(fd: number, options?: { readonly shared: boolean }): boolean;
    unlock(fd: number): void;
  };
  export default addon;
}
