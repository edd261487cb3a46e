/** The one function that is used: the package has no types of its own. */
declare module 'fs-native-extensions' {
  const addon: {
    /** @returns false when another open file has the lock, in this process or another one */
    tryLock(fd: number): boolean;
  };
  export default addon;
}
