// Task A with simdjson On-Demand: one line with actions and address for each change that is not a
// no-op.
//
//     on_demand PLAN
//
// The plan is mapped with a page of zeros after it, which gives the parser its padding without a
// copy of the plan.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <simdjson.h>
#include <string>
#include <string_view>

using namespace simdjson;

static void fail(const char *what) {
    std::fprintf(stderr, "on_demand: %s\n", what);
    std::exit(1);
}

static padded_string_view mapped(const char *path) {
    const int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) fail("the plan is not readable");
    const size_t len = status.st_size, page = 4096;
    const size_t capacity = (len + page - 1) / page * page + page;
    void *all = mmap(nullptr, capacity, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) fail("no addresses are left");
    void *plan = mmap(all, len, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
    if (plan == MAP_FAILED) fail("the plan cannot be mapped");
    madvise(plan, len, MADV_SEQUENTIAL);
    return padded_string_view(static_cast<const char *>(plan), len, capacity);
}

int main(int count, char **arguments) {
    if (count != 2) fail("usage: on_demand PLAN");
    const padded_string_view plan = mapped(arguments[1]);
    ondemand::parser parser(plan.length());
    ondemand::document document;
    if (parser.iterate(plan).get(document)) fail("no document");
    ondemand::array changes;
    if (document["resource_changes"].get_array().get(changes)) fail("no changes");
    std::string line;
    for (auto element : changes) {
        std::string_view address;
        if (element["address"].get_string().get(address)) fail("no address");
        ondemand::array actions;
        if (element["change"]["actions"].get_array().get(actions)) fail("no actions");
        line.clear();
        for (auto action : actions) {
            std::string_view word;
            if (action.get_string().get(word)) fail("no word");
            if (!line.empty()) line += ',';
            line += word;
        }
        if (line == "no-op") continue;
        line += '\t';
        line += address;
        line += '\n';
        std::fwrite(line.data(), 1, line.size(), stdout);
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}
