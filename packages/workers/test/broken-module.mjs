/** A module that cannot be imported. */
throw new Error("not today");
