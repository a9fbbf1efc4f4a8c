/** An implementation over a portable one, made once for all who ask: those who use it share compiled code. */
export function once<T>(make: (portable: T) => T): (portable: T) => T {
  let made: T | undefined;
  return (portable) => {
    made ??= make(portable);
    return made;
  };
}

/** The portable implementation of what has two. */
export function itself<T>(portable: T): T {
  return portable;
}
